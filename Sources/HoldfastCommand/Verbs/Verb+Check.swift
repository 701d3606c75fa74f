import HoldfastObjectStore
import HoldfastRESTAPI

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
