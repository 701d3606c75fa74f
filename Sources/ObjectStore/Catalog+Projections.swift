import Bytes
import ObjectModel

/// Projections behind the classes of the catalog's record.
///
///     count 4, then each: name, class, property count 4,
///       properties: name, path (names with dots between them), projection (empty: none)
///
/// A catalog without projections has nothing here.
extension Catalog {
    func appendProjections(to buffer: ByteBuffer) {
        if projections.isEmpty { return }
        buffer.append(little: UInt32(projections.count))
        for projection in projections {
            buffer.append(block: projection.name)
            buffer.append(block: projection.className)
            buffer.append(little: UInt32(projection.properties.count))
            for property in projection.properties {
                buffer.append(block: property.name)
                buffer.append(block: property.pathText)
                buffer.append(block: property.projection ?? "")
            }
        }
    }

    /// Reads what is left of a record; nil when it is damaged.
    static func readProjections(_ reader: inout ByteReader) -> [Projection]? {
        if reader.isAtEnd { return [] }
        // None would not be written, so that equal catalogs have equal records.
        guard let count = reader.read(UInt32.self), count > 0 else { return nil }
        var projections: [Projection] = []
        for _ in 0..<count {
            guard let name = reader.readString(), let className = reader.readString(),
                let propertyCount = reader.read(UInt32.self)
            else { return nil }
            var projection = Projection(name: name, className: className, properties: [])
            for _ in 0..<propertyCount {
                guard let name = reader.readString(), let path = reader.readString(),
                    let inner = reader.readString()
                else { return nil }
                projection.properties.append(
                    Projection.Property(
                        name: name,
                        path: path.split(separator: ".", omittingEmptySubsequences: false)
                            .map(String.init), projection: inner.isEmpty ? nil : inner))
            }
            projections.append(projection)
        }
        return projections
    }
}
