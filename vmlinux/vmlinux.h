/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that the programs touch, and nothing else.
 *
 * Kept by hand: the whole surface on which ringfence depends can be read here, and it is the same for
 * every architecture. Only names and types matter; the loader relocates every access to the running
 * kernel's layout. A member that is not in every supported kernel is reached through
 * bpf/compat.bpf.h alone.
 */
#ifndef RINGFENCE_VMLINUX_H
#define RINGFENCE_VMLINUX_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u16 __sum16;
typedef _Bool bool;

enum {
	false = 0,
	true = 1,
};

/* UAPI: linux/bpf.h */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_LPM_TRIE = 11,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_HASH_OF_MAPS = 13,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_INODE_STORAGE = 28,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
};

enum {
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_INNER_MAP = 1U << 12,
};

enum {
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1ULL << 0,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	__u32 s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
};

struct inode {
	__u16 i_mode;
	__u32 i_flags;
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
	void *i_private;
};

struct qstr {
	union {
		struct {
			__u32 hash;
			__u32 len;
		};
		__u64 hash_len;
	};
	const unsigned char *name;
};

struct dentry {
	__u32 d_flags;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct mnt_namespace *mnt_ns;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	__u32 f_mode;
	__u32 f_flags;
	struct inode *f_inode;
	struct path f_path;
};

struct fdtable {
	__u32 max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct mm_struct {
	struct file *exe_file;
};

typedef struct {
	__u32 val;
} kuid_t;

struct cred {
	kuid_t euid;
};

struct task_struct {
	__u32 pid;
	__u32 tgid;
	__u64 start_boottime;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct mm_struct *mm;
	struct files_struct *files;
	const struct cred *cred;
	char comm[16];
};

struct vm_area_struct {
	unsigned long vm_flags;
	struct file *vm_file;
};

struct linux_binprm {
	struct file *file;
};

struct sock_common {
	__u16 skc_family;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_type;
	__u16 sk_protocol;
};

struct socket {
	short type;
	struct sock *sk;
};

struct sockaddr {
	__u16 sa_family;
};

struct msghdr {
	void *msg_name;
	int msg_namelen;
};

struct kernfs_node {
	__u64 id;
	void *priv;
};

struct cgroup {
	int level;
};

#pragma clang attribute pop

#endif
