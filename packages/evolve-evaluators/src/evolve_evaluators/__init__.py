"""What a person likes besides right answers: metrics made of comments, and models that are measured as judges."""
