/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a struct path to the levels that the policy is matched against: the walk.
 *
 * The walk goes from the object up to the root of its mount and on through the mounts, and takes
 * down of each component its symbol and, where the policy knows the object itself, its identity. No path string takes part: d_path() is relative to the task's root and prints detached
 * and disconnected objects as if they were at "/".
 *
 * It must end at the root directory that the fence was started under, known by identity. Anything
 * else (a detached or foreign mount, a disconnected dentry, too many levels) is unresolved, and
 * that is a refusal.
 *
 * A mount of a part of a file system (a bind mount) hides what is above that part. So where the first
 * walk met one, a second goes on past the root of the lowest one, up to the root of that file system.
 *
 * Inside the object's own mount pointers are typed and loads are direct. Where the walk leaves the
 * mount it can go on only with plain addresses (struct mount is found by subtraction), so every load
 * there is a probe; mounts are few and their upper paths short.
 */
#ifndef OBJECT_BPF_H
#define OBJECT_BPF_H

#include "climb.bpf.h"
#include "compat.bpf.h"
#include "tables.bpf.h"

enum rf_walk_state {
	RF_WALK_GOES_ON,
	RF_WALK_LEFT_MOUNT, /* at the root of the object's own mount */
	RF_WALK_ENDED,      /* where it should: everything above is known */
	RF_WALK_UNRESOLVED,
};

/**
 * struct rf_walk - A walk; its progress is in @task
 * @policy, @identities, @task, @root: Of the subject.
 * @is_past_bind: The second walk: leaves the lowest bind mount through its root.
 */
struct rf_walk {
	const struct rf_policy *policy;
	void *identities;
	struct rf_task *task;
	const struct rf_object_id *root;
	__u32 is_past_bind;
};

/**
 * struct rf_typed_walk - A walk inside the object's own mount
 * @dentry:     Where it is.
 * @mount_root: Where this part ends. NULL: only at the root of the file system.
 * @dev:        s_dev of the file system.
 */
struct rf_typed_walk {
	struct rf_walk up;
	struct dentry *dentry;
	struct dentry *mount_root;
	__u32 dev;
};

static __always_inline int is_same_object(const struct rf_object_id *one,
					  const struct rf_object_id *other)
{
	return one->ino == other->ino && one->dev == other->dev &&
	       one->generation == other->generation;
}

static __always_inline struct rf_level *level_at(struct rf_walk *walk)
{
	__u32 depth = walk->task->walk.depth;

	if (depth >= RF_MAX_DEPTH)
		return NULL;
	return &walk->task->levels[depth];
}

/* Notes where the object of @id enters the automaton; a lower mount does not hide an upper one. */
static __always_inline void note_identity(struct rf_walk *walk, struct rf_level *level,
					  const struct rf_object_id *id)
{
	const struct rf_target *target;

	if (level->identity.next || level->identity.rules)
		return;
	target = bpf_map_lookup_elem(walk->identities, id);
	if (target)
		level->identity = *target;
}

/* What the table of long names has for @name; RF_SYMBOL_UNKNOWN if there is no table. */
static __always_inline rf_symbol long_symbol(const struct rf_walk *walk, const struct rf_name *name)
{
	void *long_names = bpf_map_lookup_elem(&rf_long_names, &walk->policy->slot);
	rf_symbol *symbol;

	if (!long_names)
		return RF_SYMBOL_UNKNOWN;
	symbol = bpf_map_lookup_elem(long_names, &name->name);
	return symbol ? *symbol : RF_SYMBOL_NONE;
}

/* Finds the symbol of a name of @len bytes. Returns 0 if it is no valid name or a table is missing. */
static __always_inline int note_symbol(struct rf_walk *walk, struct rf_level *level,
				       const void *bytes, __u32 len)
{
	struct rf_name *name = &walk->task->name;
	rf_symbol symbol = RF_SYMBOL_NONE;

	if (len == 0 || len > RF_MAX_NAME)
		return 0;
	if (len <= RF_MAX_SHORT_NAME)
		__builtin_memset(&name->name, 0, sizeof(struct rf_short_name));
	else
		__builtin_memset(&name->name, 0, sizeof(name->name));
	name->len = len;
	if (bpf_probe_read_kernel(name->name.bytes, len, bytes))
		return 0;
	if (len > RF_MAX_SHORT_NAME)
		symbol = long_symbol(walk, name);
	if (symbol != RF_SYMBOL_UNKNOWN)
		symbol = rf_symbol_in(name, walk->policy, symbol);
	level->symbol = symbol;
	return symbol != RF_SYMBOL_UNKNOWN;
}

/* Ends the walk in @state; the value that stops bpf_loop(). */
static __always_inline long stop(struct rf_walk *walk, enum rf_walk_state state)
{
	walk->task->walk.state = state;
	return 1;
}

/* Whether the policy can know nothing of a name of this length and start. */
static __always_inline int name_is_unknown(struct rf_walk *walk, struct dentry *dentry, __u32 len)
{
	const struct rf_policy *policy = walk->policy;

	if (policy->n_shapes || len > DNAME_INLINE_MIN)
		return 0;
	return !rf_name_may_be_exact(policy, len, dentry_inline_byte(dentry, 0),
				     dentry_inline_byte(dentry, 1));
}

/* One component inside the object's own mount. */
static long walk_typed(__u32 index, struct rf_typed_walk *typed)
{
	struct rf_walk *walk = &typed->up;
	struct rf_level *level = level_at(walk);
	struct dentry *dentry = typed->dentry;
	struct dentry *parent = dentry->d_parent;
	struct inode *inode = dentry->d_inode;
	__u32 len;

	if (!level)
		return stop(walk, RF_WALK_UNRESOLVED);
	*level = (struct rf_level){};
	if (inode) {
		struct rf_object_id id = {
			.ino = inode->i_ino,
			.dev = typed->dev,
			.generation = rf_object_generation(inode->i_generation, inode->i_mode),
		};

		note_identity(walk, level, &id);
		if (dentry == typed->mount_root && is_same_object(&id, walk->root))
			return stop(walk, RF_WALK_ENDED);
	}
	if (dentry == typed->mount_root) {
		walk->task->walk.has_met_bind = parent != dentry;
		return stop(walk, RF_WALK_LEFT_MOUNT);
	}
	if (parent == dentry)
		return stop(walk, typed->mount_root ? RF_WALK_UNRESOLVED : RF_WALK_ENDED);
	/* Names that differ in case would be one file: no exact comparison can be right. */
	if (parent->d_inode->i_flags & S_CASEFOLD)
		return stop(walk, RF_WALK_UNRESOLVED);
	len = dentry->d_name.len;
	if (!name_is_unknown(walk, dentry, len) &&
	    !note_symbol(walk, level, dentry->d_name.name, len))
		return stop(walk, RF_WALK_UNRESOLVED);
	typed->dentry = parent;
	walk->task->walk.depth++;
	return 0;
}

/* One step above the object's own mount: to the parent, or to where the mount is mounted. */
static long walk_probed(__u32 index, struct rf_walk *walk)
{
	struct rf_level *level = level_at(walk);
	struct rf_climb *climb = &walk->task->walk.climb;
	struct dentry *dentry = (void *)climb->dentry;
	struct dentry *parent;
	struct rf_object_id id = {};

	if (!level)
		return stop(walk, RF_WALK_UNRESOLVED);
	/* Only what is about to be made has no identity. */
	if (read_identity(dentry, &id))
		note_identity(walk, level, &id);
	else if (walk->task->walk.depth > 0)
		return stop(walk, RF_WALK_UNRESOLVED);
	parent = BPF_CORE_READ(dentry, d_parent);
	if (climb->dentry == climb->mount_root) {
		if (is_same_object(&id, walk->root))
			return stop(walk, RF_WALK_ENDED);
		if (parent == dentry || !walk->is_past_bind) {
			walk->task->walk.has_met_bind |= parent != dentry;
			return climb_mount(climb) ? 0 : stop(walk, RF_WALK_UNRESOLVED);
		}
		climb->mount_root = 0;
	}
	if (parent == dentry)
		return stop(walk, climb->mount_root ? RF_WALK_UNRESOLVED : RF_WALK_ENDED);
	if (BPF_CORE_READ(parent, d_inode, i_flags) & S_CASEFOLD)
		return stop(walk, RF_WALK_UNRESOLVED);
	if (!note_symbol(walk, level, BPF_CORE_READ(dentry, d_name.name),
			 BPF_CORE_READ(dentry, d_name.len)))
		return stop(walk, RF_WALK_UNRESOLVED);
	walk->task->walk.depth++;
	level = level_at(walk);
	if (!level)
		return stop(walk, RF_WALK_UNRESOLVED);
	*level = (struct rf_level){};
	climb->dentry = (__u64)parent;
	return 0;
}

/* One level of a finished walk, from the top down. */
static long match_level(__u32 index, struct rf_walk *walk)
{
	__u32 at = walk->task->walk.depth - index;
	struct rf_level *level;

	if (at >= RF_MAX_DEPTH)
		return 1;
	level = &walk->task->levels[at];
	rf_step_in(&walk->task->match, walk->policy->slot, level->symbol, level->identity.next,
		   level->identity.rules);
	return 0;
}

#endif
