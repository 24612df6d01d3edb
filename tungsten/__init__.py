"""The Tungsten kernel language: grammar, typed tree, evaluator."""
