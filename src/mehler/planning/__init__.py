"""How many features a map needs: what each bound asks for, beside what is measured."""
