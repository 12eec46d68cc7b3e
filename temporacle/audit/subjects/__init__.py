"""Implementations under audit that live elsewhere: a Python function or any executable, in processes of their own.

exchange     the text that goes to an executable and comes back
foreign      the subjects, and the worker process they are asked through
worker       what runs in that process: imports the function, or starts the executable
processes    finding and ending whatever foreign code has started
peers/       adapters for published implementations
"""
