"""Reviews of finished games: what was known at each click, what it was worth, and how the game measures up."""
