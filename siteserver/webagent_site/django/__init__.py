"""The agent in a Django project: `INSTALLED_APPS = [..., "webagent_site.django"]`."""
