import Glibc
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastThreads
import HoldfastTransfer

// Imports into a running service.
extension ImportCommand {
    /// Imports; returns when all is durable.
    ///
    /// - `proposed`: The options that the service proposed; nil for the stated ones.
    /// - Throws: A usage failure for options that a service does not take.
    func run(
        _ client: ServiceClient, proposed: ProposedImport? = nil
    ) throws(CommandFailure) -> ExitCode {
        if isRealmJSON {
            throw .usage(
                "--realm-json needs --data: import into a new directory that has the schema, and then "
                    + "'holdfast export --data DIR | holdfast import --url URL -'")
        }
        let input = try RawInput(path)
        let mediaType = proposed?.mediaType ?? options.format.mediaType
        var headers = ["Accept: application/json", "Content-Type: \(mediaType)"]
        if input.isGzip { headers.append("Content-Encoding: gzip") }
        var byteCount = 0
        var text: [UInt8] = []
        let (status, refusal) = try client.send(
            "POST", target(proposed), headers: headers,
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

    /// Prints the result of the import; nil without a report.
    private func tell(_ report: JSONValue) -> ExitCode? {
        guard let imported = report.member(named: "imported")?.exactInt64,
            let failed = report.member(named: "failed")?.exactInt64
        else { return nil }
        var groups = FaultGroups()
        for fault in report.member(named: "groups")?.elements.map({ $0 }) ?? [] {
            let entry = RequestFault.Entry(
                code: fault.member(named: "code")?.string ?? "",
                detail: fault.member(named: "detail")?.string ?? "",
                pointer: fault.member(named: "pointer")?.string,
                column: fault.member(named: "column")?.exactInt64.map { Int($0) },
                hint: fault.member(named: "hint")?.string)
            func number(_ name: StaticString) -> Int {
                Int(fault.member(named: name)?.exactInt64 ?? 1)
            }
            groups.add(entry, line: number("line"), lineCount: number("lines")) { entry }
        }
        complain(groups)
        func count(_ name: StaticString, _ words: String) -> String {
            report.member(named: name)?.exactInt64.map { "\($0) \(words), " } ?? ""
        }
        Terminal.write(
            "\(subject): \(imported) imported, " + count("ignored", "ignored")
                + "\(failed) failed, " + count("unknownMembers", "unknown members left out")
                + "version \(report.member(named: "version")?.string ?? "unknown")\n")
        return failed == 0 ? .success : .failure
    }

    private func target(_ proposed: ProposedImport?) -> String {
        var query = TargetQuery()
        query.add("mode", options.mode.rawValue)
        if options.isAtomic { query.add("atomic", "true") }
        if options.ignoresUnknown { query.add("unknown", "ignore") }
        if let proposed {
            query.add(proposed.query)
        } else {
            query.addReading(arguments, options.format)
            if options.format == .csv {
                query.add("delimiter", String(decoding: [options.csv.delimiter], as: UTF8.self))
            }
        }
        let path = className.map { "/v1/classes/\(ObjectPath.segment($0))/import" } ?? "/v1/import"
        return path + query.text
    }
}

/// A file, or standard input for `-`, byte for byte: gzip stays compressed.
final class RawInput {
    private let descriptor: Int32
    private let path: String
    private var beginning: ArraySlice<UInt8> = []
    private(set) var isGzip = false

    /// Opens a file and reads its beginning.
    init(_ path: String) throws(CommandFailure) {
        let descriptor = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("'\(path)' can't be opened: \(FileSystem.describe(errno))")
        }
        self.descriptor = descriptor
        self.path = path
        var bytes: [UInt8] = []
        while bytes.count < 2 {
            var byte: UInt8 = 0
            let count = uninterrupted { Glibc.read(descriptor, &byte, 1) }
            guard count >= 0 else {
                throw CommandFailure("'\(path)' can't be read: \(FileSystem.describe(errno))")
            }
            if count == 0 { break }
            bytes.append(byte)
        }
        beginning = bytes[...]
        isGzip = bytes == [0x1F, 0x8B]
    }

    deinit { close(descriptor) }

    /// Reads the next bytes: how many; 0 at the end, nil when the file can't be read.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int? {
        if !beginning.isEmpty {
            let count = min(beginning.count, target.count)
            target.copyBytes(from: beginning.prefix(count))
            beginning = beginning.dropFirst(count)
            return count
        }
        let count = uninterrupted { Glibc.read(descriptor, target.baseAddress, target.count) }
        return count >= 0 ? count : nil
    }
}

/// The query of a request's target.
struct TargetQuery {
    private(set) var text = ""

    mutating func add(_ name: String, _ value: String) {
        text += (text.isEmpty ? "?" : "&") + name + "=" + ObjectPath.segment(value)
    }

    /// Adds the parameters of another query, which may be empty.
    mutating func add(_ query: String) {
        if !query.isEmpty { text += (text.isEmpty ? "?" : "&") + query.dropFirst() }
    }
}
