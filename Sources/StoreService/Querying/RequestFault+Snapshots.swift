import HoldfastObjectJSON

extension RequestFault {
    /// There is no such snapshot for the client, or no longer.
    static func snapshotEnded(_ limits: ServiceLimits) -> RequestFault {
        .single(
            .expired, "snapshot-ended",
            "You have no snapshot of this id: one ends \(limits.readerAgeSecondsMax) s after it was made, when "
                + "the data file has grown by \(limits.snapshotGrowthByteCountMax) bytes since, or when the "
                + "server stops. Begin again with snapshot=new, and without the cursors of the old one.",
            partDetail: "There is no snapshot of this id.", parameter: "snapshot")
    }

    /// As many versions are pinned as may be.
    static func tooManySnapshots(_ limits: ServiceLimits, retryAfterSeconds: Int) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-snapshots",
            "Snapshots of \(limits.snapshotCountMax) versions may be kept, \(limits.userSnapshotCountMax) of them for one user, and no more. Try again when the "
                + "oldest has ended, use the snapshot that you have, or read without 'snapshot'.",
            retryAfterSeconds: retryAfterSeconds)
    }
}
