"""Playing: what is read becomes moves, and moves become clicks. Talks to the machine through `bot.desktop` only."""
