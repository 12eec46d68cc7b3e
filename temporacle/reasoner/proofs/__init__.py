"""Proofs and certificates: what the checker needs to believe an answer."""
