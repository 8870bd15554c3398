"""The network, safely: one client factory whose transport dials only addresses it has checked."""
