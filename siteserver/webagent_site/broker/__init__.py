"""The state that the processes of a site share: the port, and its implementations in memory and on Redis."""
