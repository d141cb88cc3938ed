"""What a workspace keeps, part by part, as a person looks at it and changes it."""
