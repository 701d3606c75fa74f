import Glibc
import ObjectStore
import StoreService

extension Verb {
    /// `holdfast backup`
    static let backup = Verb(
        name: "backup", summary: "Copies a store that no service has open into a file.",
        operands: "FILE", operandCount: 1...1,
        options: [OpenStore.data, OpenStore.mapSize],
        notes: """
            The file appears when it is whole; one that is there is replaced. 'holdfast restore' takes it.
            A running service makes backups by itself: POST /v1/backups.
            """
    ) { arguments throws(CommandFailure) in
        let path = arguments.operands.first ?? ""
        let address = ServiceAddress(arguments)
        let store = try OpenStore.open(
            arguments, for: .reading,
            instead: "a running service makes backups by itself: curl -X POST "
                + "'\(address.url)/v1/backups'")
        defer { store.close() }
        do throws(BackupFile.Failure) {
            let written = try BackupFile.write(store) { _ in
                path
            } _: { byteCount in
                Terminal.progress("backup: \(byteCount >> 20) MiB written")
                return true
            }
            Terminal.endProgress()
            Terminal.write(
                "\(path): version \(written.description.version), \(written.byteCount) bytes\n")
        } catch {
            Terminal.endProgress()
            switch error {
            case .store(let error):
                throw OpenStore.failure(error, try arguments.required("data"))
            case .system(let code):
                throw CommandFailure(
                    "'\(path)' can't be written: \(String(cString: strerror(code)))")
            case .stopped: throw CommandFailure("the backup was given up")
            }
        }
        return .success
    }
}
