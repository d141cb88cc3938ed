"""Whether what evolve needs is there and whole: findings, repair, and what keeps a workspace from growing."""
