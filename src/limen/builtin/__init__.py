"""The plug-ins we ship; they get no more rights than yours."""
