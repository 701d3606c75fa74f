import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore

/// The report of an import.
package struct ImportReport: Sendable {
    /// A fault of one line.
    package struct LineFault: Sendable {
        /// The line, from 1.
        package var line: Int
        /// The fault. That of a CSV text names the line itself.
        package var fault: RequestFault.Entry

        /// The fault's text with the line, within a sentence.
        package var text: String {
            fault.detail.hasPrefix("Line \(line)")
                ? "l" + fault.detail.dropFirst() : "line \(line): \(fault.detail)"
        }

        /// Writes the line and the members of the fault.
        fileprivate func write(to object: inout JSONObjectWriter) {
            object.member("line").int(Int64(line))
            fault.write(to: &object)
        }
    }

    /// The number of taken lines, including lines that changed nothing.
    package internal(set) var importedCount = 0
    /// How many were not, for their objects are there; nil unless the mode ignores such lines.
    package internal(set) var ignoredCount: Int?
    /// How many members were left out of the lines that were read; nil unless the import ignores such members.
    package internal(set) var unknownCount: Int?
    /// How many lines were not, for a fault.
    package internal(set) var failedCount = 0
    /// The faults of the first of these, by line.
    package internal(set) var faults: [LineFault] = []
    /// Equal faults of all lines together; nil unless the import groups them.
    package internal(set) var groups: FaultGroups?
    /// The store's version after the import.
    package internal(set) var version: StoreVersion
    /// How many lines wait for later ones that they link to.
    private var waitingCount = 0
    /// Whether the text is NDJSON, in which no other form was found yet.
    private var seeksOtherForm: Bool
    /// The last line that is counted.
    private var lastLine = 0

    /// Begins without any line.
    init(_ options: ImportOptions, version: StoreVersion) {
        self.version = version
        if options.mode == .ignore { ignoredCount = 0 }
        if options.ignoresUnknown { unknownCount = 0 }
        if options.groupsFaults { groups = FaultGroups() }
        seeksOtherForm = options.format == .ndjson
    }

    /// Whether the import had lines and took no line.
    package var tookNothing: Bool {
        failedCount > 0 && importedCount == 0 && (ignoredCount ?? 0) == 0
    }

    /// Adds the outcomes of the lines of a chunk.
    ///
    /// - `limit`: The number of faults that are listed.
    /// - `header`: The header of the CSV text that the lines were made from; nil for other texts.
    mutating func add(_ chunk: ImportChunk, limit: Int, header: CSVHeader? = nil) {
        importedCount += chunk.writtenCount
        if let count = ignoredCount { ignoredCount = count + chunk.ignoredCount }
        if let count = unknownCount { unknownCount = count + chunk.unknownCount }
        waitingCount += chunk.deferred.count - (chunk.numbers?.count ?? 0)
        lastLine = max(lastLine, chunk.lines.last?.number ?? 0)
        var isFirst = true
        for (number, found) in chunk.readFaults + chunk.writeFaults {
            lastLine = max(lastLine, number)
            failedCount += 1
            let advice = isFirst ? advice(chunk.text(ofLine: number)) : ""
            isFirst = false
            for fault in found {
                func located() -> RequestFault.Entry {
                    var fault =
                        header?.located(fault, line: number, chunk.text(ofLine: number)) ?? fault
                    fault.detail += advice
                    return fault
                }
                groups?.add(fault, line: number, located)
                guard faults.count < limit else { continue }
                faults.append(LineFault(line: number, fault: located()))
            }
        }
    }

    /// The option for the first faulty line of a chunk that has extended JSON or GeoJSON; empty for other lines.
    private mutating func advice(_ line: UnsafeRawBufferPointer?) -> String {
        guard seeksOtherForm, let line else { return "" }
        let form: ImportOptions.Format
        let name: String
        if Self.hasExtendedJSON(line) {
            form = .extendedJSON
            name = "MongoDB's extended JSON"
        } else if Self.hasFeatures(line) {
            form = .geoJSON
            name = "GeoJSON"
        } else {
            return ""
        }
        seeksOtherForm = false
        return
            " The line has \(name): import it with --\(form.option ?? "") (over HTTP Content-Type: \(form.mediaType))."
    }

    /// The bytes of a line in which another form is sought.
    private static let soughtByteCount = 1 << 16

    /// Whether the beginning of a line is a Feature or a FeatureCollection of GeoJSON.
    private static func hasFeatures(_ line: UnsafeRawBufferPointer) -> Bool {
        if case .features = OuterObject(
            UnsafeRawBufferPointer(rebasing: line.prefix(soughtByteCount)))
        {
            return true
        }
        return false
    }

    /// Whether the beginning of a line has a value of extended JSON, such as `{"$oid":…}`.
    private static func hasExtendedJSON(_ line: UnsafeRawBufferPointer) -> Bool {
        var rest = line.prefix(soughtByteCount)
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            rest = rest[(dollar + 1)...]
            guard dollar > 0, line[dollar - 1] == UInt8(ascii: "\""),
                let end = rest.firstIndex(of: UInt8(ascii: "\""))
            else { continue }
            let name = rest[..<end]
            guard
                name.elementsEqual("oid".utf8) || name.elementsEqual("date".utf8)
                    || name.starts(with: "number".utf8)
            else { continue }
            // A member, and not a value.
            if rest[(end + 1)...].first(where: { $0 != 0x20 }) == UInt8(ascii: ":") { return true }
        }
        return false
    }

    /// The fault that ends the import, with the outcome of the earlier lines.
    func ended(by fault: RequestFault) -> RequestFault {
        guard lastLine > 0 else { return fault }
        var counts = ["\(importedCount) imported", "\(failedCount) faulty"]
        if let ignoredCount { counts.append("\(ignoredCount) ignored") }
        if waitingCount > 0 {
            counts.append("\(waitingCount) left out because they link to later lines")
        }
        var fault = fault
        fault.detail +=
            " The import ended after line \(lastLine); of the lines up to it: "
            + counts.joined(separator: ", ") + "."
        return fault
    }

    /// Ends an import that has more faulty lines than it takes.
    ///
    /// - Throws: ``RequestFault`` with the first of their faults.
    func requireFewFaults(limit: Int) throws(RequestFault) {
        guard failedCount > limit else { return }
        let first = faults.min { $0.line < $1.line }
        throw RequestFault(
            .invalid, "too-many-faults",
            "More than \(limit) lines are faulty" + (first.map { "; \($0.text)" } ?? ".")
                + " Correct the file, or let the service take more (--max-import-faults).")
    }

    /// Writes `{"imported","failed","ignored","unknownMembers","errors","groups","version"}`.
    package func write(to writer: JSONWriter) { writer.object { write(to: &$0) } }

    /// Writes the members of that.
    package func write(to object: inout JSONObjectWriter) {
        object.member("imported").int(Int64(importedCount))
        object.member("failed").int(Int64(failedCount))
        if let ignoredCount { object.member("ignored").int(Int64(ignoredCount)) }
        if let unknownCount { object.member("unknownMembers").int(Int64(unknownCount)) }
        object.member("errors").objects(of: faults) { $0.write(to: &$1) }
        if let groups = groups?.list, !groups.isEmpty {
            object.member("groups").objects(of: groups) { group, object in
                object.member("lines").int(Int64(group.lineCount))
                group.first.write(to: &object)
            }
        }
        object.member("version").string(version.description)
    }
}

extension RequestFault {
    /// Whether an import ends with it before its text is complete, and the sender is informed at once: a slow sender, or one
    /// that may not continue.
    package var endsUpload: Bool { [.tooSlow, .unauthenticated, .forbidden].contains(kind) }
}
