"""Programs with their own file formats: clinical shared tasks and QA-TempEval."""
