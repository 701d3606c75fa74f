import HoldfastJSON
import HoldfastRESTAPI
import HoldfastStoreService

// Imports into a running service.
extension ImportCommand {
    /// Imports; returns when all is durable.
    ///
    /// - Throws: A usage failure for what a service does not take.
    func run(_ client: ServiceClient) throws(CommandFailure) -> ExitCode {
        if isRealmJSON {
            throw .usage(
                "--realm-json works on a directory: import into a new one that has the schema, and then "
                    + "'holdfast export --data DIR | holdfast import --url URL -'")
        }
        let input = try RawInput(path)
        var headers = ["Accept: application/json", "Content-Type: \(mediaType)"]
        if input.isGzip { headers.append("Content-Encoding: gzip") }
        var byteCount = 0
        var text: [UInt8] = []
        let (status, refusal) = try client.send(
            "POST", target, headers: headers,
            body: { buffer in
                guard let count = input.read(into: buffer) else { return nil }
                byteCount += count
                Terminal.progress("\(subject): \(byteCount >> 20) MiB sent")
                return count
            },
            reply: { piece in
                text += piece
                return true
            })
        if status == 0 { throw CommandFailure("'\(path)' can't be read") }
        // Of a refusal the report is in the problem document.
        let code = ServiceClient.read(status < 300 ? text : refusal, tell)
        guard let code else { throw ServiceClient.refused(status, refusal) }
        return code
    }

    /// Tells what became of the import; nil when there is no report of it.
    private func tell(_ report: JSONValue) -> ExitCode? {
        guard let imported = report.member(named: "imported")?.exactInt64,
            let failed = report.member(named: "failed")?.exactInt64
        else { return nil }
        for fault in report.member(named: "errors")?.elements.map({ $0 }) ?? [] {
            let line = fault.member(named: "line")?.exactInt64 ?? 0
            let pointer = fault.member(named: "pointer")?.string ?? ""
            let hint = fault.member(named: "hint")?.string.map { " Did you mean '\($0)'?" } ?? ""
            // For CSV the detail names the cell.
            let place =
                options.format == .csv
                ? "" : "line \(line)\(pointer.isEmpty ? "" : " at \(pointer)"): "
            Terminal.complain(
                place + "\(fault.member(named: "detail")?.string ?? "")\(hint) "
                    + "(\(fault.member(named: "code")?.string ?? ""))")
        }
        func count(_ name: StaticString, _ words: String) -> String {
            report.member(named: name)?.exactInt64.map { "\($0) \(words), " } ?? ""
        }
        Terminal.write(
            "\(subject): \(imported) imported, " + count("ignored", "ignored")
                + "\(failed) failed, "
                + count("unknownMembers", "unknown members left out")
                + "version \(report.member(named: "version")?.string ?? "unknown")\n")
        return failed == 0 ? .success : .failure
    }

    private var mediaType: String {
        switch options.format {
        case .csv: "text/csv"
        case .ndjson: "application/x-ndjson"
        case .extendedJSON: "application/x-ndjson; profile=extended-json"
        }
    }

    private var target: String {
        var query = TargetQuery()
        query.add("mode", options.mode.rawValue)
        if options.isAtomic { query.add("atomic", "true") }
        if options.ignoresUnknown { query.add("unknown", "ignore") }
        for text in arguments.texts("map") { query.add("map", text) }
        for text in arguments.texts("skip") { query.add("skip", text) }
        if options.format == .csv {
            let delimiter = options.csv.delimiter
            query.add("delimiter", String(decoding: [delimiter], as: UTF8.self))
            if options.csv.hasDecimalComma { query.add("decimalComma", "true") }
            if let format = arguments.text("date-format") { query.add("dateFormat", format) }
        }
        let path =
            className.map { "/v1/classes/\(ObjectPath.segment($0))/import" } ?? "/v1/import"
        return path + query.text
    }
}
