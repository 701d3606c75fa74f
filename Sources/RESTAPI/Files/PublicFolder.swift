import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastRows
import HoldfastThreads

/// A folder whose files the service sends beside its API: the page of an application, from the same origin as its data.
///
/// A folder is answered by its `index.html`. A browser that opens a path without a file gets the folder's first page, because
/// applications show such paths themselves. Names that begin with a dot, symbolic links and the store's own folder are not served.
/// Files are read when they are asked for, so that a changed file is sent at once. Thread-safe.
package final class PublicFolder: Sendable {
    /// A file that is there and can't be opened.
    package struct Failure: Error {
        /// The `errno`.
        let code: Int32
    }

    private static let index = "index.html"
    /// The paths of the service itself, by their first part: they are answered as without a folder.
    private static let ownNames: Set = ["v1", "health", "metrics", "docs", "client", "console"]
    private let folder: Int32
    private let hiddenPath: String?

    /// Opens a folder; nil if there is no such folder, or it cannot be read.
    ///
    /// - `hiddenPath`: A folder that is not served, wherever it is found: the store's.
    package init?(_ path: String, hiding hiddenPath: String? = nil) {
        self.hiddenPath = hiddenPath
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0 { return nil }
    }

    deinit { close(folder) }

    /// Whether it is the hidden folder itself, perhaps by another path.
    package var isHidden: Bool {
        var status = stat()
        return fstat(folder, &status) == 0 && isHidden(status)
    }

    /// The reply to a request for a file; nil if the folder does not have it. Cost: two system calls for each part of the path, and
    /// two more.
    package func reply(to request: Request) throws(Failure) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        var names = request.segments.map(\.string)
        guard let last = names.last, !Self.ownNames.contains(names[0]) else { return nil }
        // A path that ends with a slash is a folder.
        if last.isEmpty { names[names.count - 1] = Self.index }
        guard names.allSatisfy(Self.isServed) else { return nil }
        switch try find(names) {
        case .file(let file): return file.reply(to: request)
        case .folder:
            let query = request.rawTarget.string.drop { $0 != "?" }
            return Response(308).with(.location, request.rawPath.string + "/" + query)
        case .nothing:
            // The path of a file has an ending.
            if last.contains(".") { return nil }
            return try page(for: request)?.with(.vary, "Accept")
        }
    }

    /// The reply of the folder's first page to a browser; nil for another client, or if there is none.
    func page(for request: Request) throws(Failure) -> Response? {
        guard request.asksForPage, case .file(let file) = try find([Self.index]) else { return nil }
        return file.reply(to: request)
    }

    private static func isServed(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.first != UInt8(ascii: ".")
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    private enum Found {
        case file(PublicFile)
        case folder
        case nothing
    }

    /// Opens the file at a path below the folder. Each part is opened by itself, so that no link leads out of the folder.
    private func find(_ names: [String]) throws(Failure) -> Found {
        var opened = folder
        var status = stat()
        for name in names {
            // Opening a pipe would wait for its writer.
            let next = uninterrupted {
                openat(opened, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            }
            let code = errno
            if opened != folder { close(opened) }
            guard next >= 0 else {
                if Self.absenceCodes.contains(code) { return .nothing }
                throw Failure(code: code)
            }
            opened = next
            guard fstat(opened, &status) == 0, !isHidden(status) else {
                close(opened)
                return .nothing
            }
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(PublicFile(opened, named: names[names.count - 1], status))
        case S_IFDIR:
            close(opened)
            return .folder
        default:
            close(opened)
            return .nothing
        }
    }

    /// The errors of opening a name that is missing or too long, or that leads to a link or a socket, or through a file.
    private static let absenceCodes: Set<Int32> = [ENOENT, ENOTDIR, ELOOP, ENXIO, ENAMETOOLONG]

    /// Whether an open file is the hidden folder, which may be mounted or moved into this one.
    private func isHidden(_ status: stat) -> Bool {
        guard status.st_mode & S_IFMT == S_IFDIR, let hiddenPath else { return false }
        var hidden = stat()
        return stat(hiddenPath, &hidden) == 0 && hidden.st_dev == status.st_dev
            && hidden.st_ino == status.st_ino
    }
}

extension RESTService {
    /// Asks the public folder; nil without a folder, or if it has no reply.
    func publicReply(
        _ ask: (PublicFolder) throws(PublicFolder.Failure) -> Response?
    ) -> Response? {
        guard let folder = options.publicFolder else { return nil }
        do throws(PublicFolder.Failure) { return try ask(folder) } catch {
            if let leftOutCount = publicFailures.pass() {
                logger.log(
                    .error, "a file of the public folder can't be opened",
                    ("error", .text(String(cString: strerror(error.code)))),
                    ("leftOut", .number(leftOutCount)))
            }
            return response(
                RequestFault(
                    .unavailable, "not-ready", "The file can't be opened. The log has the reason.",
                    retryAfterSeconds: 5))
        }
    }
}

/// An open file that a request asked for.
private struct PublicFile {
    private let file: Int32
    private let type: ContentType
    private let byteCount: Int
    /// The entity tag: a hash of the facts that a change of the file changes.
    private let tag: String

    init(_ file: Int32, named name: String, _ status: stat) {
        self.file = file
        type = ContentType(ofFile: name)
        byteCount = Int(status.st_size)
        // A file that is replaced has another number, and its owner can't set the time of the last change of the status.
        let facts = [
            Int(truncatingIfNeeded: status.st_ino), byteCount,
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
        tag = String(facts.withUnsafeBytes { SipHash128.hash($0).high }, radix: 36)
    }

    /// The whole file, a range of it, or 304 to a client that has it.
    func reply(to request: Request) -> Response {
        if request.has(tag) {
            close(file)
            let reply = tagged(Response(304))
            return type.isCompressible ? reply.with(.vary, "Accept-Encoding") : reply
        }
        switch range(of: request) {
        case .all:
            return tagged(
                Response(200, type, pulling: FileSource(file, 0..<byteCount), byteCount: byteCount))
        case .part(let range):
            return tagged(
                Response(206, type, pulling: FileSource(file, range), byteCount: range.count)
            ).with(
                .contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)")
        case .unsatisfiable:
            close(file)
            return tagged(Response(416)).with(.contentRange, "bytes */\(byteCount)")
        }
    }

    private func range(of request: Request) -> ByteRange {
        guard !type.isCompressible, let field = request.header(.range) else { return .all }
        if let condition = request.header(.ifRange), condition.string != "\"\(tag)\"" {
            return .all
        }
        return ByteRange(field, of: byteCount)
    }

    /// Browsers keep a file, and ask at each use if it has changed.
    ///
    /// Some clients get a text compressed: its tag is weak, because the bytes differ, and it has no ranges.
    private func tagged(_ reply: consuming Response) -> Response {
        let reply = reply.with(.cacheControl, "no-cache")
        return type.isCompressible
            ? reply.with(weakTag: tag)
            : reply.with(entityTag: tag).with(.acceptRanges, "bytes")
    }
}

extension Request {
    /// Whether a browser asks for a page to show.
    var asksForPage: Bool {
        acceptance(of: "text/html").map { $0.precision == 2 && $0.quality > 0 } ?? false
    }
}
