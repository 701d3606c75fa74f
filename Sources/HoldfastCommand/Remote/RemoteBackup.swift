import Glibc
import HoldfastJSON

/// A backup of a running service's store, copied into a file.
struct RemoteBackup {
    private let client: ServiceClient

    init(_ client: ServiceClient) { self.client = client }

    /// Makes the backup; the file appears when it is whole.
    func run(_ path: String) throws(CommandFailure) -> ExitCode {
        let reply = try client.text("POST", "/v1/backups")
        func text(_ name: StaticString) throws(CommandFailure) -> String {
            try ServiceClient.find("which backup it has made", in: reply) {
                $0.member(named: name)?.string
            }
        }
        let name = try text("name")
        let version = try text("version")
        let target = "/v1/backups/\(TargetQuery.encoded(name))"
        let partial = path + ".part"
        let file = try OutputFile(partial)
        do throws(CommandFailure) {
            let (status, refusal) = try client.send(
                "GET", target,
                reply: { piece in
                    guard file.write(piece) else { return false }
                    Terminal.progress("backup: \(file.byteCount >> 20) MiB written")
                    return true
                })
            Terminal.endProgress()
            if status == 0 { throw file.unwritable }
            if status >= 300 { throw ServiceClient.refused(status, refusal) }
            try file.finish()
        } catch {
            Terminal.endProgress()
            unlink(partial)
            throw CommandFailure("\(error.message); the service keeps it as '\(name)'")
        }
        guard rename(partial, path) == 0 else { throw file.unwritable }
        try client.text("DELETE", target)
        Terminal.write("\(path): version \(version), \(file.byteCount) bytes\n")
        return .success
    }
}
