/* A stand-in for systemd's user session, for LD_PRELOAD into gnome-shell alone: without one it starts Xwayland at once,
waits for programs that only systemd starts, and gives up. With it Xwayland starts when a program asks for it. */
#include <string.h>
#include <sys/types.h>

int sd_pid_get_user_unit(pid_t pid, char **unit) {
    (void)pid;
    *unit = strdup("session.service");
    return 0;
}
