/// The work of one thread on the chunks of a scan that several share.
protocol ColumnWorker: AnyObject, Sendable {
    /// Takes a chunk; false where only the thread of the scan can do that, which reads rows.
    func take(_ chunk: Int) -> Bool

    /// Whether it is to take more.
    var hasRoom: Bool { get }
}
