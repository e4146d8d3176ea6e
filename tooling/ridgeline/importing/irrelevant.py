"""Keys of config files that say nothing about shape, with the reason."""

from __future__ import annotations

_REASONS: dict[str, str] = {
    "bookkeeping of the software that wrote or reads the file": """
        architectures auto_map model_type transformers_version _name_or_path _attn_implementation attn_implementation
        _attn_implementation_autoset attn_implementation_kwargs torch_dtype dtype model_name name license
        _commit_hash custom_pipelines task_specific_params problem_type summary_type summary_use_proj summary_activation
        summary_first_dropout summary_proj_to_labels summary_id2label id2label label2id finetuning_task prefix is_encoder_decoder
        tokenizer_class chunk_size_feed_forward cross_attention_hidden_size add_cross_attention is_decoder
        _flash_attn_2_enabled use_flash_attn use_mamba_kernels rescale_prenorm_residual residual_in_fp32
        mamba_ssm_cache_dtype mamba_ssm_dtype fuse_norm fused_norm fused_add_norm ssm_cfg pretraining_tp num_logits_to_keep logits_to_keep
        moe_router_dtype moe_shared_expert_overlap calc_logits_for_entire_prompt return_dict output_attentions output_hidden_states torchscript use_bfloat16 use_cache
        use_cache_kernel keys_to_ignore_at_inference base_model_tp_plan base_model_pp_plan language_model_only
        mlp_only_training quantization_config_source converted unsloth_version unsloth_fixed for_llm_compressor
        prefill_chunk_size attention_sink_size tensor_parallel_shards max_batch_size is_llama_config
        transformers.js_config predict_special_tokens
        mamba_chunk_size chunk_size ssm_chunk_size time_step_chunk ep_size moe_layer_ep tp_size
        """,
    "training alone": """
        initializer_range initializer_factor attention_dropout attn_pdrop embd_pdrop resid_pdrop hidden_dropout
        dropout layerdrop activation_dropout embedding_dropout classifier_dropout hidden_dropout_prob router_aux_loss_coef
        router_z_loss_coef aux_loss_alpha seq_aux output_router_logits router_jitter_noise router_dtype input_jitter_noise
        mamba_proj_drop init_std time_step_floor time_step_limit time_step_max time_step_min time_step_rank_init
        time_step_scale time_step_init_scheme rescale_layer rescale_prenorm moe_z_loss_coeff moe_aux_loss_coeff
        residual_dropout attention_probs_dropout_prob use_qk_norm_loss num_mtp_loss mtp_loss_coef initializer_std depth_scale
        """,
    "how text is generated": """
        diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size length_penalty max_length min_length
        no_repeat_ngram_size num_beam_groups num_beams num_return_sequences output_scores remove_invalid_values
        repetition_penalty return_dict_in_generate temperature top_k top_p typical_p bad_words_ids
        exponential_decay_length_penalty tf_legacy_loss tie_encoder_decoder pruned_heads use_unified_vision_chunk
        """,
    "tokens with a meaning": """
        ignore_index media_placeholder_token_id video_placeholder
        bos_token_id eos_token_id pad_token_id sep_token_id unk_token_id decoder_start_token_id boi_token_index
        eoi_token_index image_token_index image_token_id video_token_id vision_start_token_id vision_end_token_id
        boi_token_id eoi_token_id eoa_token_id boa_token_id audio_token_id eoa_token_index mm_tokens_per_image
        vision_token_id vision_end_token_id suppress_tokens begin_suppress_tokens forced_bos_token_id forced_eos_token_id boi_token_ids
        """,
    "positions are computed, not stored": """
        rope_theta rope_scaling rope_parameters rope_local_base_freq rope_type rope_interleave rope_interleaved
        rope_ratio original_max_position_embeddings max_model_length partial_rotary_factor rotary_dim rotary_emb_base
        use_mrope rotary_pct rope_pct alibi no_rope_scaling attn_scale floor_scale attn_temperature_tuning mrope_section
        use_mrope_scaling rotary swa_rope_theta max_window initial_context_length indexer_rope_interleave
        indexer_rope_style position_embedding_type rope mrope_interleaved
        """,
    "arithmetic without parameters": """
        hidden_act activation_function hidden_activation mlp_hidden_act activation layer_norm_eps rms_norm_eps norm_eps
        layer_norm_epsilon layernorm_epsilon norm_epsilon time_step_epsilon scale_attn_weights
        scale_attn_by_inverse_layer_idx reorder_and_upcast_attn
        final_logit_softcapping attn_logit_softcapping query_pre_attn_scalar use_bidirectional_attention
        logits_soft_cap swiglu_limit swiglu_alpha norm_topk_prob routed_scaling_factor scoring_func topk_method n_group topk_group
        topk_num_groups norm_before_gate attention_multiplier embedding_multiplier logits_scaling residual_multiplier
        layernorm_full_attention_alpha layernorm_full_attention_beta layernorm_linear_attention_alpha
        layernorm_linear_attention_beta layernorm_mlp_alpha layernorm_mlp_beta full_attn_alpha_factor
        full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor mlp_alpha_factor mlp_beta_factor
        router_scaling_factor moe_router_topk_scaling_factor apply_residual_connection_post_layernorm
        clip_qkv logit_scale attention_value_scale moe_renormalize moe_router_activation_func use_grouped_topk num_expert_group
        attention_softmax_in_fp32 embedding_scale scale_embedding mamba_hidden_act
        """,
    "storage of the weights, not their number": """
        quantization_config compression_config quantize quantization expert_dtype
        """,
}

#: Key → why it does not matter here.
IRRELEVANT: dict[str, str] = {key: reason for reason, keys in _REASONS.items() for key in keys.split()}
