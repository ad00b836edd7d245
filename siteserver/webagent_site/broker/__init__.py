"""What the processes of a site share."""
