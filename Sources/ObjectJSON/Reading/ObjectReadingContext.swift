/// The means to read bodies: the names of a schema, a reader whose faults stay as they are, and how many operations a
/// patch may have.
package struct ObjectReadingContext {
    package let names: SchemaNames
    package let reader: ObjectReader
    package let operationCountMax: Int

    /// Collects what bodies are read with.
    package init(_ names: SchemaNames, _ reader: ObjectReader, operationCountMax: Int) {
        self.names = names
        self.reader = reader
        self.operationCountMax = operationCountMax
    }
}
