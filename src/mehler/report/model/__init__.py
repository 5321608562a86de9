"""The one result model: what checks found goes in, what pages show comes out."""
