#include "guest/isolation.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/capability.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "shim/core/net.hpp"

namespace strata::guest {

namespace {

bool user_namespace = false;
uid_t outer_user = 0;
gid_t outer_group = 0;

void write_text(const char* file, const std::string& text) {
  const int out = ::open(file, O_WRONLY | O_CLOEXEC);
  if (out < 0) return;
  if (::write(out, text.data(), text.size()) < 0) static_cast<void>(0);  // refused: ids stay unmapped
  ::close(out);
}

void set_address(int socket, const char* interface, unsigned ip, unsigned mask) {
  ifreq request{};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(ip);
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  ::ioctl(socket, SIOCSIFADDR, &request);
  address.sin_addr.s_addr = htonl(mask);
  std::memcpy(&request.ifr_netmask, &address, sizeof address);
  ::ioctl(socket, SIOCSIFNETMASK, &request);
}

void bring_up_loopback(unsigned ip) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ::ioctl(socket, SIOCSIFFLAGS, &request);
  // Programs that list their interfaces find the host's address too.
  set_address(socket, "lo:1", ip, 0xFF000000);
  ::close(socket);
}

// A file of our own in place of /etc/hosts: every host by its name.
void name_hosts(const std::vector<std::string>& hosts) {
  std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n";
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    in_addr address{htonl(shim::kNetwork + static_cast<unsigned>(i) + 1)};
    char digits[INET_ADDRSTRLEN];
    text += fmt::format("{} {}\n", ::inet_ntop(AF_INET, &address, digits, sizeof digits), hosts[i]);
  }
  // The file lies in a small file system of our own that nobody else sees.
  if (::mount("tmpfs", "/run", "tmpfs", 0, "size=64k") != 0) return;
  std::ofstream("/run/strata-hosts") << text;
  ::mount("/run/strata-hosts", "/etc/hosts", nullptr, MS_BIND, nullptr);
  ::umount2("/run", MNT_DETACH);
}

// Inside its user namespace the first process may do everything; guests may not, and could not look into it for the
// shared memory. It needs none of that from here on.
void drop_privileges() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  ::syscall(SYS_capset, &header, none);
  ::prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace

pid_t fork_isolated(bool private_network, Isolation& got) {
  outer_user = ::getuid();
  outer_group = ::getgid();
  const unsigned long network = private_network ? CLONE_NEWNET : 0UL;
  const unsigned long full = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
  const unsigned long attempts[] = {full | network, full | network | CLONE_NEWUSER, network | CLONE_NEWUSER, 0};
  for (const unsigned long flags : attempts) {
    user_namespace = (flags & CLONE_NEWUSER) != 0;
    got = {(flags & CLONE_NEWPID) != 0, (flags & CLONE_NEWNET) != 0, (flags & CLONE_NEWNS) != 0};
    const long pid = ::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (pid >= 0) return static_cast<pid_t>(pid);
  }
  return -1;
}

void settle_in(Isolation& got, const std::string& name, unsigned ip, const std::vector<std::string>& hosts) {
  if (user_namespace) {
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", fmt::format("{} {} 1", outer_user, outer_user));
    write_text("/proc/self/gid_map", fmt::format("{} {} 1", outer_group, outer_group));
  }
  if (got.mounts) {
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    got.mounts = ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
    name_hosts(hosts);
    if (::sethostname(name.data(), name.size()) != 0) static_cast<void>(0);  // keeps the machine's name
  }
  if (got.network) bring_up_loopback(ip);
  if (user_namespace) drop_privileges();
}

}  // namespace strata::guest
