import Glibc
import TestSupport

/// What every thread of this process does, on standard error: as far as the kernel tells it, and their stacks if a debugger is there.
enum ThreadDump {
  /// The kernel's view.
  static func writeStates() {
    for thread in ProcessFiles.entries(of: "/proc/self/task") {
      let folder = "/proc/self/task/\(thread)"
      func text(_ name: String) -> String {
        String(ProcessFiles.text(of: "\(folder)/\(name)").prefix { $0 != "\n" })
      }
      // The state follows the name, which stands in brackets.
      let state = text("stat").split(separator: ")").last?.split(separator: " ").first ?? "?"
      Watchdog.say("  \(thread) \(text("comm")) state \(state), in \(text("wchan")), system call \(text("syscall"))")
    }
  }

  /// What a debugger shows.
  static func writeStacks() {
    let process = String(getpid())
    let debuggers = [
      ["gdb", "-p", process, "-batch", "-nx", "-ex", "set pagination off", "-ex", "thread apply all backtrace 40"],
      ["eu-stack", "-p", process],
      ["lldb", "-p", process, "--batch", "-o", "thread backtrace all"],
    ]
    // A debugger that hangs would hang this process with it.
    for words in debuggers where run(["timeout", "-s", "KILL", "60"] + words) { return }
    Watchdog.say(
      "no debugger could show the stacks: none is there, or the system lets only a parent look (ptrace_scope)")
  }

  /// Runs a program with standard output on standard error. False: it is not there, or has failed.
  private static func run(_ words: [String]) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, words[0], &actions, nil, arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    return waitpid(child, &status, 0) == child && status == 0
  }
}
