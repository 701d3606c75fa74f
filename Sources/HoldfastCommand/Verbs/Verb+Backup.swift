import Glibc
import HoldfastObjectStore
import HoldfastStoreService

extension Verb {
    static let backup = Verb(
        name: "backup", summary: "Copies a store into a file.",
        operands: "FILE", operandCount: 1...1,
        options: [OpenStore.data] + ServiceClient.options + [OpenStore.mapSize],
        notes: """
            The file appears when it is whole; one that is there is replaced. 'holdfast restore' takes it.
            Of a running service (--url) a backup is made there, copied into the file, and deleted there.
            """
    ) { arguments throws(CommandFailure) in
        let path = arguments.operands.first ?? ""
        if let client = try ServiceClient(arguments) { return try client.backUp(path) }
        let store = try OpenStore.open(
            arguments, for: .reading, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        do throws(BackupFile.Failure) {
            let written = try BackupFile.write(store) { _ in
                path
            } _: { byteCount in
                Terminal.progress("backup: \(byteCount >> 20) MiB written")
                return true
            }
            Terminal.write(
                "\(path): version \(written.description.version), \(written.byteCount) bytes\n")
        } catch {
            switch error {
            case .store(let error): throw OpenStore.failure(error, OpenStore.directory(arguments))
            case .system(let code):
                throw CommandFailure(
                    "'\(path)' can't be written: \(String(cString: strerror(code)))")
            case .stopped: throw CommandFailure("the backup was given up")
            }
        }
        return .success
    }
}
