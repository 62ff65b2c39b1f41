// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files: may the current task open this one so?
 *
 *   file_open      open, openat, openat2, open_by_handle_at, io_uring OPENAT, and the opens the kernel
 *                makes for execve (program, interpreter, loader). Not O_PATH, which gives nothing but
 *                a name; what is done with it meets other hooks.
 *   file_receive   An open file from another process: SCM_RIGHTS, pidfd_getfd, seccomp notifications.
 *   mmap_file      Mapping as executable: what ld.so does with a program and its libraries.
 *   file_mprotect  The same, of a mapping that was made without.
 */
#include "compat.bpf.h"
#include "judge.bpf.h"

#define PROT_EXEC 0x4
#define VM_EXEC 0x4

/*
 * The accesses that a file is opened for. Without branches for the bits, so that the verifier does not
 * follow each value by itself.
 */
static __always_inline rf_access_mask access_of_open(struct file *file)
{
	__u32 mode = file->f_mode, flags = file->f_flags;
	rf_access_mask access = 0;

	_Static_assert(FMODE_READ == RF_ACCESS_READ && FMODE_WRITE == RF_ACCESS_WRITE,
		       "modes are accesses");
	if (flags & FMODE_EXEC_FLAG)
		return RF_ACCESS_EXECUTE;
	access = (mode & (FMODE_READ | FMODE_WRITE)) | (flags / O_TRUNC % 2 * RF_ACCESS_WRITE);
	/* Access mode 3: neither read nor write, but ioctl works; asked of both. */
	return access ? access : RF_ACCESS_READ | RF_ACCESS_WRITE;
}

/*
 * Whether the kernel opens a layer of an overlayfs file that was decided on a moment ago: until 6.5 such a
 * file has the path of the one and the inode of the other.
 */
static __always_inline int is_layer(struct file *file)
{
	return file->f_inode != file->f_path.dentry->d_inode;
}

SEC("lsm/file_open")
int BPF_PROG(rf_file_open, struct file *file, int ret)
{
	struct rf_request request = {};

	if (ret || is_layer(file))
		return ret;
	if (!subject_of_current(&request.subject))
		return 0;
	request.report.access = access_of_open(file);
	request.report.action = request.report.access == RF_ACCESS_EXECUTE ? RF_ACTION_PROGRAM_EXECUTE
							     : RF_ACTION_FILE_OPEN;
	return answer_for_file(&request, file);
}

static __always_inline int judge_file(__u32 action, __u32 access, struct file *file)
{
	__u64 dentry, mnt;

	if (!path_opened_by(file, &dentry, &mnt))
		return -RF_EACCES;
	return judge(action, access, dentry, mnt);
}

SEC("lsm/file_receive")
int BPF_PROG(rf_receive, struct file *file, int ret)
{
	return ret ? ret : judge_file(RF_ACTION_FILE_RECEIVE, access_of_open(file), file);
}

/* Most mappings are not executable; they cost nobody a look-up. */
SEC("lsm/mmap_file")
int BPF_PROG(rf_mmap, struct file *file, unsigned long requested, unsigned long protection,
	     unsigned long flags, int ret)
{
	if (ret || !file || !(protection & PROT_EXEC))
		return ret;
	return judge_file(RF_ACTION_FILE_MAP, RF_ACCESS_EXECUTE, file);
}

SEC("lsm/file_mprotect")
int BPF_PROG(rf_mprotect, struct vm_area_struct *area, unsigned long requested,
	     unsigned long protection, int ret)
{
	struct file *file = area->vm_file;

	if (ret || !file || !(protection & PROT_EXEC) || (area->vm_flags & VM_EXEC))
		return ret;
	return judge_file(RF_ACTION_FILE_MAP, RF_ACCESS_EXECUTE, file);
}
