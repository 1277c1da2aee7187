// Namespaces of a virtual host: its own process ids, network, name and, where allowed, /proc and /etc/hosts. Whatever
// the kernel or the container does not permit is left out, and said.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace strata::guest {

struct Isolation {
  bool processes = false;  ///< own process ids; all end with their first one
  bool network = false;
  bool mounts = false;
};

/// Forks into new namespaces, as many as permitted. Returns like fork.
[[nodiscard]] pid_t fork_isolated(bool private_network, Isolation& got);
/// In the child: maps users, mounts /proc, brings up the loopback with `ip`, sets the host's name.
void settle_in(Isolation& got, const std::string& name, unsigned ip, const std::vector<std::string>& hosts);

}  // namespace strata::guest
