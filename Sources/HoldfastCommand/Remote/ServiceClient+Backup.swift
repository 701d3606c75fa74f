import Glibc
import HoldfastJSON
import HoldfastRESTAPI

extension ServiceClient {
    /// Makes a backup of the service's store, copied into a file; the file appears when it is whole.
    func backUp(_ path: String) throws(CommandFailure) -> ExitCode {
        let reply = try text("POST", "/v1/backups")
        func told(_ name: StaticString) throws(CommandFailure) -> String {
            try Self.find("which backup it has made", in: reply) {
                $0.member(named: name)?.string
            }
        }
        let name = try told("name")
        let version = try told("version")
        let target = "/v1/backups/\(ObjectPath.segment(name))"
        let partial = path + ".part"
        let file = try OutputFile(partial)
        do throws(CommandFailure) {
            let (status, refusal) = try send(
                "GET", target,
                reply: { piece in
                    guard file.write(piece) else { return false }
                    Terminal.progress("backup: \(file.byteCount >> 20) MiB written")
                    return true
                })
            if status == 0 { throw file.unwritable }
            if status >= 300 { throw Self.refused(status, refusal) }
            try file.finish()
        } catch {
            unlink(partial)
            throw CommandFailure("\(error.message); the service keeps it as '\(name)'")
        }
        guard rename(partial, path) == 0 else { throw file.unwritable }
        try text("DELETE", target)
        Terminal.write("\(path): version \(version), \(file.byteCount) bytes\n")
        return .success
    }
}
