"""The server of the Model Context Protocol: skills, memory and tables for other agents."""
