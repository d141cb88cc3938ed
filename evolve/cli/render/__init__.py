"""What a person reads: sentences, amounts and tables. The layers below give codes and facts."""
