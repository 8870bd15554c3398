"""Posts of forums, answers, comments and reviews: who wrote what when, and how it was judged."""
