"""The worked examples of the papers, and the cases that once went wrong, on Spark: the tests of the other folders."""

from __future__ import annotations

import pytest

from tests.evolution.test_bach import (  # noqa: F401
    test_adding_the_axiom_adds_the_other_direction_and_removing_it_takes_that_away,
    test_the_update_of_example_3_is_a_step_too,
)
from tests.maintenance.test_dynamic_examples import (  # noqa: F401
    test_example_1_a_fact_that_is_taken_back_does_not_add_itself_again,
    test_example_1_ends_however_often_the_fact_comes_and_goes,
    test_example_1_holds_while_another_term_goes_round_the_same_cycle,
    test_example_2_a_fact_goes_if_its_new_cause_is_taken_back,
    test_example_2_a_fact_that_has_a_new_cause_stays,
    test_example_2_in_one_update_is_an_ordinary_change,
    test_example_3_a_deletion_takes_away_only_what_has_no_other_derivation,
    test_example_4_a_deletion_that_is_taken_back_leaves_everything_as_it_was,
    test_example_4_holds_while_another_fact_goes_for_good,
    test_the_second_update_of_each_example_really_arrives_while_the_first_is_worked_on,
)
from tests.maintenance.test_object_splits import (  # noqa: F401
    test_a_negation_that_objects_tell_from_its_head_is_maintained,
    test_literal_objects_tell_splits_apart,
)
from tests.maintenance.test_paper_examples import (  # noqa: F401
    test_every_strategy_does_the_update_of_the_second_example,
)
from tests.maintenance.test_rule_changes import (  # noqa: F401
    test_a_constraint_that_comes_shows_its_violations_in_the_delta,
    test_a_rule_goes_with_the_last_axiom_that_states_it,
    test_auto_gives_up_a_change_of_rules_that_takes_longer_than_starting_over,
    test_dropping_a_functional_property_splits_the_classes_that_it_made,
    test_removing_a_rule_that_is_not_there_says_so,
    test_rules_that_leave_no_strata_leave_the_store_as_it_was,
)
from tests.maintenance.test_strategies import (  # noqa: F401
    test_what_follows_through_an_equality_outlives_its_other_proof,
)
from tests.maintenance.test_updates import (  # noqa: F401
    test_a_change_of_the_ontology_is_maintained_like_any_other,
    test_a_head_that_needs_a_proved_and_a_lost_fact_is_doubted,
    test_a_strategy_that_cannot_be_used_says_why,
    test_an_error_inside_a_transaction_changes_nothing,
    test_an_explicit_fact_about_a_class_is_not_taken_for_all_that_it_stands_for,
    test_removing_what_is_not_explicit_does_nothing,
    test_the_example_of_paper_2_section_3_1,
)
from tests.ontologies.test_owl2rl_engine import (  # noqa: F401
    test_the_rule_does_not_fire_when_a_premise_is_missing,
    test_the_rule_fires,
)
from tests.ontologies.test_structural import (  # noqa: F401
    test_the_axiom_goes_and_comes,
    test_what_is_told_is_what_is_told_multiplied_out,
)
from tests.test_agreement import (  # noqa: F401
    test_a_program_that_once_went_wrong_agrees,
    test_negation_reads_a_class_together_with_the_one_that_it_is_equal_to,
    test_negation_that_equality_turns_on_itself_is_refused,
)
from tests.test_explain import (  # noqa: F401
    test_a_chain_of_stated_equalities_is_spelt_out,
    test_a_class_that_facts_about_other_members_made_is_rebuilt_link_by_link,
    test_a_fact_that_is_explicit_and_derived_has_both_proofs,
    test_a_long_path_of_a_transitive_property_is_found_though_its_closure_is_large,
    test_a_negated_atom_and_a_condition_are_told,
    test_a_term_equals_itself_because_a_fact_mentions_it,
    test_a_thousand_links_of_a_class_are_proved_one_by_one,
    test_a_thousand_rules_deep_is_not_too_deep,
    test_an_equality_that_a_rule_derived_names_the_rule_and_its_facts,
    test_an_explicit_fact_is_its_own_proof,
    test_literals_of_one_value_are_equal_by_their_value,
    test_what_does_not_hold_has_no_proof,
)
from tests.test_papers import (  # noqa: F401
    test_adding_a_fact_that_is_read_negatively_takes_facts_away,
    test_ancestors_of_the_bach_family_are_the_transitive_closure,
    test_component_methods_find_the_same_ancestors,
    test_each_instance_that_fires_in_the_example_is_considered_once,
    test_negation_by_strata_derives_what_the_first_figure_shows,
    test_the_bijection_has_fourteen_facts,
    test_the_engine_stores_the_one_fact_of_the_bijection_that_is_not_reflexive,
    test_the_update_of_the_bach_family_keeps_what_has_another_derivation,
    test_without_the_fact_that_joins_them_the_classes_fall_apart,
)

pytestmark = pytest.mark.parametrize("make_reasoner", ["spark"], indirect=True)
