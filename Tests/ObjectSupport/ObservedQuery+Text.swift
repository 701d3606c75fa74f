import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Testing

extension ObservedQuery {
    /// A query of the objects of a class that match a filter, as it is written.
    package convenience init(_ text: String, of className: String, _ schema: RowSchema) throws {
        let classIndex = try #require(schema.classIndex[className])
        let predicate = try CompiledQuery.compile(
            text: text, rootClass: classIndex, schema: schema
        ).predicate
        self.init(
            target: .objects(classIndex: classIndex), predicate: predicate,
            filterPaths: predicate.dependencies(schema), schema: schema)
    }
}
