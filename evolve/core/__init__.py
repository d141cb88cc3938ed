"""What everything else stands on: errors, files, paths, settings, budgets, records of episodes and the database."""
