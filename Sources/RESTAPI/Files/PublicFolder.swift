import Glibc
import HoldfastHTTPServer
import HoldfastThreads

/// A folder whose files the service sends beside its API: the page of an application, from the same origin as its data.
///
/// A folder is answered by its `index.html`. A browser that opens a path without a file gets the folder's first page, because
/// applications show such paths themselves. Names that begin with a dot and symbolic links are not served. Files are read when
/// they are asked for, so that a changed file is sent at once. Thread-safe.
package final class PublicFolder: Sendable {
    private static let index = "index.html"
    private let folder: Int32

    /// Opens a folder; nil if there is no such folder, or it cannot be read.
    package init?(_ path: String) {
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0 { return nil }
    }

    deinit { close(folder) }

    /// The reply to a request for a file; nil if the folder does not have it. Cost: a system call for each part of the path, and
    /// three more.
    package func reply(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        var names = request.segments.map(\.string)
        // Paths of the API are answered as without a folder.
        guard let last = names.last, names[0] != "v1" else { return nil }
        // A path that ends with a slash is a folder.
        if last.isEmpty { names[names.count - 1] = Self.index }
        guard names.allSatisfy(Self.isServed) else { return nil }
        switch find(names) {
        case .file(let file): return file.reply(to: request)
        case .folder:
            return Response(308).with(.location, request.rawPath.string + "/")
        case .nothing:
            // The path of a file has an ending.
            return last.contains(".") ? nil : page(for: request)
        }
    }

    /// The reply of the folder's first page to a browser; nil for another client, or if there is none.
    func page(for request: Request) -> Response? {
        guard request.asksForPage, case .file(let file) = find([Self.index]) else { return nil }
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
    private func find(_ names: [String]) -> Found {
        var parent = folder
        defer { if parent != folder { close(parent) } }
        for name in names.dropLast() {
            let next = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if parent != folder { close(parent) }
            parent = next < 0 ? folder : next
            if next < 0 { return .nothing }
        }
        guard let name = names.last else { return .nothing }
        // Opening a pipe would wait for its writer.
        let file = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return .nothing }
        var status = stat()
        if fstat(file, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: return .file(PublicFile(file, named: name, status))
            case S_IFDIR:
                close(file)
                return .folder
            default: break
            }
        }
        close(file)
        return .nothing
    }
}

/// An open file that a request asked for.
private struct PublicFile {
    private let file: Int32
    private let type: ContentType
    private let byteCount: Int
    /// The entity tag: the time of the last change and the length.
    private let tag: String

    init(_ file: Int32, named name: String, _ status: stat) {
        self.file = file
        type = ContentType(ofFile: name)
        byteCount = Int(status.st_size)
        let changed =
            UInt64(bitPattern: Int64(status.st_mtim.tv_sec)) &* 1_000_000_000
            &+ UInt64(bitPattern: Int64(status.st_mtim.tv_nsec))
        tag = String(changed, radix: 36) + "-" + String(byteCount, radix: 36)
    }

    /// The whole file, a range of it, or 304 to a client that has it.
    func reply(to request: Request) -> Response {
        if let known = try? EntityTags.read(.ifNoneMatch, of: request), known.matchesWeakly(tag) {
            close(file)
            return tagged(Response(304))
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
        guard let field = request.header(.range) else { return .all }
        if let condition = request.header(.ifRange), condition.string != "\"\(tag)\"" {
            return .all
        }
        return ByteRange(field, of: byteCount)
    }

    /// Browsers keep a file, and ask at each use if it has changed.
    private func tagged(_ reply: consuming Response) -> Response {
        reply.with(.etag, "\"\(tag)\"").with(.cacheControl, "no-cache").with(.acceptRanges, "bytes")
    }
}

extension Request {
    /// Whether a browser asks for a page to show.
    var asksForPage: Bool {
        acceptance(of: "text/html").map { $0.precision == 2 && $0.quality > 0 } ?? false
    }
}
