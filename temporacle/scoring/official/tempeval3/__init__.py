"""The relation scorer of TempEval-3: its graph, its questions and its digits."""
