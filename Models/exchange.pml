/* One exchange, from the pass that collected it to the end of the last reference: what Exchange.swift, Exchange+Finish.swift,
   ExchangeState.swift, Inbox.swift and HTTPLane do with it.

   FINISHERS threads finish it: 0 is the worker that runs it, 1 the monitor at the queue deadline, 2 whoever else might come. The leader
   makes passes and is a finisher too (LEADERFINISHES: a time limit, or the drain timeout). The client may leave at any moment.
   Atomic blocks are one read-modify-write, or one step of the leader. -DM_NAME makes one of the wrong variants. */

#ifndef FINISHERS
#define FINISHERS 2
#endif
#ifndef LEADERFINISHES
#define LEADERFINISHES 1
#endif
#ifndef PASSES
#define PASSES 3        /* in which the unsuspended connection is met */
#endif

#define C 1             /* ExchangeState.Bits: claimed */
#define F 2             /* finished */
#define S 4             /* suspended */
#define A 8             /* abandoned */
byte bits;
byte references;        /* libmicrohttpd's, one of each finisher, the inbox's */
bool isOver;            /* no reference is left, or the lane keeps it for the next request: nobody may touch it */
byte stored;            /* Exchange.answer: 0 nil, 1 half written, 2 whole */
byte made, released;    /* answers */
bool inInbox, isSuspended, isShut, hasLeft, isAnswered, isDropped;

inline touch() { assert(!isOver) }
inline letGo() { assert(references>0); references--; if :: references==0 -> isOver=true :: else fi }

/* Exchange.claim */
inline claim(old) { atomic { touch(); old=bits; bits=bits|C } }
/* Exchange.publish: the plain store, which takes time */
inline store() { atomic { touch(); assert(stored==0); stored=1; made++ }; atomic { touch(); stored=2 } }

proctype Finisher(byte me) {
  byte old;
#ifndef M_NOCLAIM
  claim(old);
  if :: old & C -> goto lost :: else fi;
#endif
  store();
#ifdef M_LOOKTHENFINISH
  atomic { touch(); old=bits };          /* wrong: looks whether it is suspended, then sets the bit */
  atomic { touch(); bits=bits|F };
#else
  atomic { touch(); old=bits; bits=bits|F };
#endif
#ifdef M_LETSGOEARLY
  atomic { letGo() };                    /* wrong: the worker's reference is given up before the bits are acted upon */
#endif
#ifdef M_POSTSALWAYS
  if :: old & A -> atomic { touch(); released++; assert(!isDropped); isDropped=true }
     :: else -> atomic { touch(); assert(!inInbox); inInbox=true; references++ }
#else
  if :: old & A -> atomic { touch(); released++; assert(!isDropped); isDropped=true }
     :: (old & (A|S))==S ->
#ifdef M_GONEISNOTPOSTED
        if :: atomic { hasLeft }
           :: atomic { !hasLeft -> touch(); assert(!inInbox); inInbox=true; references++ }
        fi
#else
        atomic { touch(); assert(!inInbox); inInbox=true; references++ }   /* Inbox.push */
#endif
     :: else
#endif
  fi;
#ifdef M_LETSGOEARLY
  goto end;
#endif
lost:
  atomic { letGo() };
end:
  old=0
}

proctype Leader() {
  byte old, passes, finishes=LEADERFINISHES;
  do
  :: atomic { inInbox -> touch(); inInbox=false;        /* Inbox.take, MHD_resume_connection */
       assert(isSuspended && !isShut); isSuspended=false; letGo() }
  :: finishes>0 && !isShut -> finishes--;               /* refuse, on libmicrohttpd's reference */
       claim(old);
       if :: old & C
          :: else -> store();
             atomic { touch(); old=bits; bits=bits|F; assert((old & A)==0) };
             if :: old & S -> atomic { touch(); assert(!inInbox); inInbox=true; references++ } :: else fi
       fi; old=0
  :: !isSuspended && !isShut && passes<PASSES -> passes++;      /* HTTPLane.meetAgain */
       atomic { touch(); old=bits };
       if :: old & F
          :: else ->
#ifdef M_PLAINSTORE
             atomic { touch(); bits=old|S };            /* wrong: loads, then stores */
#else
             atomic { touch(); old=bits; bits=bits|S };
#endif
             if :: old & F :: else -> isSuspended=true fi
       fi;
       if :: isSuspended -> old=0
          :: !isSuspended && (bits & S) && hasLeft -> old=0; goto completed    /* isReset */
          :: !isSuspended && !((bits & S) && hasLeft) ->
             assert(stored==2 && !isAnswered);
             isAnswered=true; released++; stored=0; old=0; goto completed      /* HTTPLane.queue */
       fi
  :: atomic { hasLeft && !isSuspended && !isShut -> goto completed }
  od;
completed:                               /* HTTPLane.end, recycle */
  atomic { isShut=true; touch(); old=bits; bits=bits|A;
    if :: (old & F) && !isAnswered -> assert(stored==2); stored=0; released++; assert(!isDropped); isDropped=true
       :: else
    fi };
#ifdef M_RECYCLESSHARED
  atomic { isOver=true; references--; old=0 }
#else
  atomic { if :: references==1 -> references=0; isOver=true :: else -> letGo() fi; old=0 }
#endif
}

proctype Peer() { if :: hasLeft=true :: true fi }

proctype Watch() {
end_watch:
  timeout ->
    assert(isOver && references==0 && isShut && !isSuspended && !inInbox);
    assert(isAnswered != isDropped);
    assert(made==1 && released==1)
}

init {
  atomic {
    references=1+FINISHERS;
    byte k=0;
    do :: k<FINISHERS -> run Finisher(k); k++ :: else -> break od;
    run Leader(); run Peer(); run Watch()
  }
}
