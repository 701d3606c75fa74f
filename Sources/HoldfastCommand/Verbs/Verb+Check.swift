import Glibc
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastStoreService

extension Verb {
    static let check = Verb(
        name: "check", summary: "Checks all parts of a store against each other; changes nothing.",
        options: [OpenStore.data, OpenStore.mapSize],
        notes: """
            Pages of the data file, rows, primary keys, indexes, inverse links, counters and the change log are compared. The medium may
            be read-only. Exit code 3 means that damage was found.
            """
    ) { arguments throws(CommandFailure) in
        let store: Store
        do throws(CommandFailure) {
            store = try OpenStore.open(arguments, for: .checking, instead: "stop the service first")
        } catch {
            guard error.isOfUnfinishedStore else { throw error }
            Terminal.write("check: \(error.message)\ncheck: no fault found\n")
            return .success
        }
        defer { store.close() }
        let report: StoreCheck.Report
        do throws(StoreError) {
            report = try StoreCheck.run(store) { Terminal.progress("check: \($0) entries read") }
        } catch { throw OpenStore.failure(error, OpenStore.directory(arguments)) }
        for entry in report.objectCounts {
            Terminal.write("\(entry.className): \(entry.count) objects\n")
        }
        Terminal.write(
            "\(report.indexEntryCount) index entries, \(report.inverseLinkCount) inverse links, "
                + "\(report.logEntryCount) change log entries, version \(report.version)\n")
        for finding in report.findings { Terminal.complain("\(finding.code): \(finding.detail)") }
        guard report.findingCount > 0 else {
            Terminal.write("check: no fault found\n")
            return .success
        }
        throw .damage("check: \(report.findingCount) faults found")
    }
}

extension Verb {
    static let compact = Verb(
        name: "compact", summary: "Rewrites a store's file without its unused pages.",
        options: [OpenStore.data, OpenStore.mapSize, OpenStore.newEpoch],
        notes: """
            The new file replaces the old one when it is complete; the disk needs space for both.
            Versions, cursors and ETags stay valid.
            """
    ) { arguments throws(CommandFailure) in
        let directory = OpenStore.directory(arguments)
        // As a store at first, so that nothing else is rewritten.
        try OpenStore.open(arguments, for: .changing, instead: "stop the service first").close()
        let engine = try OpenStore.engine(
            arguments, directory: directory, instead: "stop the service first")
        defer { engine.close() }
        let before = engine.storedByteCount ?? 0
        do throws(StorageError) {
            try engine.compact()
        } catch {
            throw OpenStore.failure(error, directory, nil)
        }
        engine.close()
        let after = try OpenStore.engine(arguments, directory: directory, instead: nil)
        defer { after.close() }
        Terminal.write(
            "\(directory): \(before) bytes before, \(after.storedByteCount ?? 0) bytes now\n")
        return .success
    }
}

extension Verb {
    static let backup = Verb(
        name: "backup", summary: "Copies a store into a file.",
        operands: "FILE", operandCount: 1...1,
        options: [OpenStore.data] + ServiceClient.options + [OpenStore.mapSize],
        notes: """
            The file appears when it is complete, and replaces an existing one. 'holdfast restore'
            reads it. With --url the service makes a backup, which is copied and then deleted there.
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
