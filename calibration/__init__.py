"""Makes a skin from pictures of a clone nobody supports yet: to come. Frames in, a verified skin out."""
