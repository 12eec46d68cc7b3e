"""Changes of annotated documents: sessions, versions, adjudication, and how they are saved."""
