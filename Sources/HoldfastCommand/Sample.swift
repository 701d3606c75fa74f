import CHoldfastSample
import Glibc
import HoldfastHTTPServer
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastTransfer

/// Sample data that the program contains.
enum Sample: String, CaseIterable {
    /// The countries and cities of `Examples/world`.
    case world

    /// Fills a store without classes; leaves another one as it is.
    ///
    /// A file in the store's directory says that the sample is not complete. If the program ends before it is, the next call fills
    /// the store again.
    ///
    /// - Returns: Whether the sample was put into the store.
    func fill(_ store: Store, in directory: String) throws(CommandFailure) -> Bool {
        let mark = "\(directory)/.loading-\(rawValue)"
        guard store.catalog.schema.classes.isEmpty || access(mark, F_OK) == 0 else { return false }
        let made = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard made >= 0 else {
            throw CommandFailure(
                "'\(mark)' can't be written: \(FileSystem.describe(errno))")
        }
        close(made)
        var file = HFSampleWorld()
        while let found = file?.pointee, let bytes = found.bytes {
            let text = UnsafeRawBufferPointer(start: bytes, count: found.count)
            if let className = found.className {
                try Self.importObjects(String(cString: className), text, into: store, directory)
            } else {
                _ = try CommandFailure.telling(SchemaText.put(Array(text), store))
            }
            file = file?.successor()
        }
        guard unlink(mark) == 0 else {
            throw CommandFailure("'\(mark)' can't be removed: \(FileSystem.describe(errno))")
        }
        return true
    }

    private static func importObjects(
        _ className: String, _ packed: UnsafeRawBufferPointer, into store: Store,
        _ directory: String
    ) throws(CommandFailure) {
        var options = ImportOptions()
        options.mode = .replace
        options.limits.temporaryDirectory = directory
        options.limits.importByteRateMin = 0
        let session = ImportSession(store, .objects(className: className), options)
        let outcome = try session.run { feed throws(CommandFailure) in
            do throws(GzipReader.Fault) {
                guard let reader = GzipReader() else { throw .broken }
                try reader.read(packed) {
                    feed.send($0)
                    return true
                }
            } catch { throw CommandFailure("the sample of '\(className)' can't be unpacked") }
        }
        switch outcome {
        case .success(let report)? where report.failedCount == 0: break
        case .failure(let fault)?: throw CommandFailure(fault)
        default: throw CommandFailure("the sample of '\(className)' can't be imported")
        }
    }
}
