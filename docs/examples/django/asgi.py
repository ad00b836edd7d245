"""The application, with the agent in its pages."""

import os

from django.core.asgi import get_asgi_application
from tasks import webagent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
app = webagent.wrap(get_asgi_application())
