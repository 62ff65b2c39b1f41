// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names: may the current task make, remove or change this one?
 *
 *   path_mknod     A file (O_CREAT too), a node, a FIFO, a socket that is bound.
 *   path_mkdir     A directory.
 *   path_symlink   A symbolic link; where it points decides nothing, what is reached through it does.
 *   path_unlink    Removal of a file.
 *   path_rmdir     Removal of a directory.
 *   path_rename    Both names; with EXCHANGE each is the source and the target.
 *   path_link      The new name, and the file: its content can be read by the new name.
 *   path_truncate  truncate(2), and before 6.2 ftruncate(2).
 *   path_chmod     Mode.
 *   path_chown     Owner.
 *
 * A source has to be readable as well as writable: its new place may let it be read.
 */
#include "judge.bpf.h"

#define RENAME_EXCHANGE (1 << 1)
#define SOURCE_ACCESS (RF_ACCESS_READ | RF_ACCESS_WRITE)

/* A name in the directory @dir. */
static __always_inline int judge_name(__u32 action, __u32 access, const struct path *dir,
				      struct dentry *dentry)
{
	return judge(action, access, ADDRESS_OF(dentry), ADDRESS_OF(dir->mnt));
}

static __always_inline int judge_path(__u32 action, const struct path *path)
{
	return judge(action, RF_ACCESS_WRITE, ADDRESS_OF(path->dentry), ADDRESS_OF(path->mnt));
}

SEC("lsm/path_mknod")
int BPF_PROG(rf_mknod, const struct path *dir, struct dentry *dentry, unsigned short mode,
	     unsigned int dev, int ret)
{
	return ret ? ret : judge_name(RF_ACTION_FILE_CREATE, RF_ACCESS_WRITE, dir, dentry);
}

SEC("lsm/path_mkdir")
int BPF_PROG(rf_mkdir, const struct path *dir, struct dentry *dentry, unsigned short mode, int ret)
{
	return ret ? ret : judge_name(RF_ACTION_FILE_CREATE, RF_ACCESS_WRITE, dir, dentry);
}

SEC("lsm/path_symlink")
int BPF_PROG(rf_symlink, const struct path *dir, struct dentry *dentry, const char *target, int ret)
{
	return ret ? ret
		   : judge_name(RF_ACTION_FILE_CREATE, RF_ACCESS_WRITE | RF_JUDGE_PLACE, dir, dentry);
}

SEC("lsm/path_unlink")
int BPF_PROG(rf_unlink, const struct path *dir, struct dentry *dentry, int ret)
{
	return ret ? ret : judge_name(RF_ACTION_FILE_REMOVE, RF_ACCESS_WRITE, dir, dentry);
}

SEC("lsm/path_rmdir")
int BPF_PROG(rf_rmdir, const struct path *dir, struct dentry *dentry, int ret)
{
	return ret ? ret : judge_name(RF_ACTION_FILE_REMOVE, RF_ACCESS_WRITE, dir, dentry);
}

/* What the target of a rename or link is asked, when @dentry comes to stand there. */
static __always_inline __u32 target_access(struct dentry *dentry)
{
	__u32 type = BPF_CORE_READ(dentry, d_inode, i_mode) & S_IFMT;

	return type == S_IFREG ? RF_ACCESS_WRITE : RF_ACCESS_WRITE | RF_JUDGE_PLACE;
}

SEC("lsm/path_rename")
int BPF_PROG(rf_rename, const struct path *old_dir, struct dentry *old_dentry,
	     const struct path *new_dir, struct dentry *new_dentry, unsigned int flags, int ret)
{
	if (ret)
		return ret;
	ret = judge_name(RF_ACTION_FILE_RENAME, SOURCE_ACCESS | RF_JUDGE_MOVE, old_dir, old_dentry);
	if (!ret && (flags & RENAME_EXCHANGE))
		ret = judge_name(RF_ACTION_FILE_RENAME, SOURCE_ACCESS | RF_JUDGE_MOVE, new_dir,
				 new_dentry);
	if (!ret)
		ret = judge_name(RF_ACTION_FILE_RENAME, target_access(old_dentry), new_dir,
				 new_dentry);
	if (!ret && (flags & RENAME_EXCHANGE))
		ret = judge_name(RF_ACTION_FILE_RENAME, target_access(new_dentry), old_dir,
				 old_dentry);
	return ret;
}

/* Both names are in one mount, or the call fails anyway. */
SEC("lsm/path_link")
int BPF_PROG(rf_link, struct dentry *old_dentry, const struct path *new_dir,
	     struct dentry *new_dentry, int ret)
{
	if (ret)
		return ret;
	ret = judge_name(RF_ACTION_FILE_LINK, SOURCE_ACCESS, new_dir, old_dentry);
	return ret ? ret
		   : judge_name(RF_ACTION_FILE_LINK, target_access(old_dentry), new_dir, new_dentry);
}

SEC("lsm/path_truncate")
int BPF_PROG(rf_truncate, const struct path *path, int ret)
{
	return ret ? ret : judge_path(RF_ACTION_FILE_TRUNCATE, path);
}

SEC("lsm/path_chmod")
int BPF_PROG(rf_chmod, const struct path *path, unsigned short mode, int ret)
{
	return ret ? ret : judge_path(RF_ACTION_FILE_CHANGE, path);
}

SEC("lsm/path_chown")
int BPF_PROG(rf_chown, const struct path *path, __u64 uid, __u64 gid, int ret)
{
	return ret ? ret : judge_path(RF_ACTION_FILE_CHANGE, path);
}
