"""Where people and programs meet the agent; surfaces do not know each other."""
