"""Fuzzing: whatever the bytes, an answer or a complaint, never a traceback and never a wrong verdict."""
