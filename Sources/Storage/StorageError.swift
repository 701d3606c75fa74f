/// The failure of a storage operation.
package struct StorageError: Error, Sendable, Equatable {
    /// The reason, the same for all engines. Callers switch on this.
    package enum Code: String, Sendable, CaseIterable {
        /// Another commit came after the batch's base: run the transaction again.
        case conflict
        /// A key is empty or longer than the engine takes.
        case badKey
        /// A value is longer than the engine takes.
        case valueTooLong
        /// The medium or the reserved map is full; nothing was applied.
        case diskFull
        /// Every reader slot is taken; close some snapshots.
        case readersFull
        /// The data belongs to another process.
        case locked
        /// The data is not a store of this program, or has a newer or unknown format.
        case format
        /// The data is damaged.
        case corrupted
        /// Reading or writing failed. After a failed write the engine takes no more writes until reopened.
        case io
        /// The process may not open the data.
        case permission
        /// The engine or snapshot was closed.
        case closed
        /// The process or the machine has not enough memory or address space.
        case memory
        /// The server behind the engine cannot be reached.
        case unavailable
    }

    /// The reason.
    package let code: Code
    /// The step that failed, such as `"commit"`. Never contains keys or values.
    package let operation: String
    /// The library's own words, such as `"MDB_MAP_FULL (-30792)"`. For logs, not for clients.
    package let native: String?

    /// The error of opening an incompletely created store, which contains no data yet, for reading. Opening it for writing
    /// completes it.
    package static let unfinished = StorageError(
        .format, operation: "open store", native: "its creation was interrupted, and it is empty")

    package init(_ code: Code, operation: String, native: String? = nil) {
        self.code = code
        self.operation = operation
        self.native = native
    }
}
