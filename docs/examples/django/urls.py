"""The addresses: pages, Django's own login, and the tools."""

from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.generic import CreateView
from tasks import add, page, script, webagent

from webagent_site.tools.frameworks import django_urls

join = CreateView.as_view(
    form_class=UserCreationForm, template_name="form.html", success_url="/login"
)
urlpatterns = [
    *django_urls(webagent.tools),
    path("", page),
    path("join", join),
    path("login", LoginView.as_view(template_name="form.html")),
    path("logout", LogoutView.as_view(next_page="/login")),
    path("tasks", add),
    path("tasks.js", script),
]
